/** A deployment's variables and secrets, each set and right. Those that only a local stack may set are missing. */
export const RIGHT: Readonly<Record<string, string>> = {
  BASE_URL: 'https://clips.example.net',
  ENVIRONMENT: 'production',
  ACCEPTED_DEMO_DOMAINS: 'demos.example.com faceit.com',
  CLIP_TTL_DAYS: '30',
  DEMO_TTL_DAYS: '7',
  REQUEST_TTL_DAYS: '90',
  FENCE_FLOOR: '7',
  ADMIN_TOKEN: 'an-admin-token-for-tests-of-32-chars',
  METRICS_TOKEN: 'a-token-for-scraping',
  ALERT_WEBHOOK_URL: 'https://alerts.example.net/x',
  HEARTBEAT_URL: 'https://alerts.example.net/beat',
  CLIP_ID_SECRET: 'a-secret-for-clip-ids-of-32-chars-or-more',
  RUN_DEADLINE_HOURS: '24',
  RUN_HOST_MINUTES: '60',
  WEBHOOK_SECRET_DAYS: '30',
  LOG_LEVEL: 'error',
  LOG_SAMPLE: '0.01',
  LOCATION_HINT: 'weur',
  MEDIA_BASE_URL: 'https://media.example.net',
  PURGE_ZONE_ID: 'a'.repeat(32),
  PURGE_TOKEN: 'a-purge-token',
  OWN_ORIGINS: 'https://other.example.net',
  HOST_SLOTS: '8',
  ACCOUNT_SHARE: '0.5',
  MIN_AGENT_VERSION: '0.1.0',
  RESERVED_NEEDS_SLOTS: 'true',
  CLIENT_ADDRESS_HEADER: 'X-Real-IP',
  DISK_RESERVE_MIB: '64',
  LOW_PORTS: '80 443',
  METERED_PRICES: 'EUR 1080p60=9 1440p120=18.50',
  LANDING_CLIP_ID: '0c2a6b1e-53c5-4d12-9f5e-6a4c8d7e9b10',
  ABUSE_URL: 'mailto:abuse@example.net',
};

/** A wrong value for each variable that has one; limits and other numbers get `a-wrong-number`. */
const WRONG: Readonly<Record<string, string>> = {
  BASE_URL: 'clips.example.net',
  ENVIRONMENT: 'staging-a-wrong-one',
  ACCEPTED_DEMO_DOMAINS: 'https://faceit.com/wrong',
  ADMIN_TOKEN: 'too-short-a-token',
  METRICS_TOKEN: 'short-token',
  ALERT_WEBHOOK_URL: 'alerts.example.net/wrong',
  HEARTBEAT_URL: 'alerts.example.net/wrong-too',
  CLIP_ID_SECRET: 'too-short-a-secret',
  LOG_LEVEL: 'verbose',
  JURISDICTION: 'mars',
  LOCATION_HINT: 'moon',
  MEDIA_BASE_URL: 'media.example.net/wrong',
  PURGE_ZONE_ID: 'my-own-zone',
  OWN_ORIGINS: 'other.example.net',
  MIN_AGENT_VERSION: 'the-newest',
  RESERVED_NEEDS_SLOTS: 'maybe',
  CLIENT_ADDRESS_HEADER: 'X Real IP',
  LOW_PORTS: 'eighty',
  LANDING_CLIP_ID: 'latest',
  ABUSE_URL: 'javascript:alert(1)',
};

/** Returns a wrong value of a variable; null if any text is right. */
export function wrongValue(name: string): string | null {
  return name === 'PURGE_TOKEN' ? null : (WRONG[name] ?? 'a-wrong-number');
}
