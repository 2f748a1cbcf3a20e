CREATE TABLE `audit` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`operator_id` text,
	`operator` text NOT NULL,
	`action` text NOT NULL,
	`target` text NOT NULL,
	`changes` text,
	`status` integer,
	`request_id` text NOT NULL
);

CREATE INDEX `audit_created` ON `audit` (`created_at`,`id`);
CREATE TABLE `console_sessions` (
	`sha256` text PRIMARY KEY NOT NULL,
	`operator_id` text,
	`expires_at` integer NOT NULL
);

CREATE INDEX `console_sessions_expires` ON `console_sessions` (`expires_at`);
CREATE TABLE `controls` (
	`id` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`reason` text NOT NULL,
	`until` integer,
	`created_at` integer NOT NULL,
	`operator` text NOT NULL
);

CREATE UNIQUE INDEX `controls_name` ON `controls` (`kind`,`name`);
CREATE TABLE `day_counts` (
	`day` integer NOT NULL,
	`name` text NOT NULL,
	`count` integer NOT NULL,
	`amount` real NOT NULL,
	PRIMARY KEY(`day`, `name`)
) WITHOUT ROWID;

CREATE TABLE `host_registrations` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`token_sha256` text NOT NULL,
	`uses` integer NOT NULL,
	`used` integer DEFAULT 0 NOT NULL,
	`expires_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);

CREATE UNIQUE INDEX `host_registrations_token` ON `host_registrations` (`token_sha256`);
CREATE INDEX `host_registrations_created` ON `host_registrations` (`created_at`,`id`);
CREATE TABLE `operators` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`role` text NOT NULL,
	`token_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer
);

CREATE UNIQUE INDEX `operators_token_sha256` ON `operators` (`token_sha256`);
CREATE INDEX `operators_created` ON `operators` (`created_at`,`id`);
CREATE TABLE `rule_runs` (
	`id` text PRIMARY KEY NOT NULL,
	`version` integer DEFAULT 1 NOT NULL,
	`rule_id` text NOT NULL,
	`account_id` text NOT NULL,
	`upload_id` text NOT NULL,
	`key_id` text,
	`state` text NOT NULL,
	`is_read` integer DEFAULT false NOT NULL,
	`clips` integer DEFAULT 0 NOT NULL,
	`requests` text DEFAULT '[]' NOT NULL,
	`detail` text,
	`posted_by` text,
	`notice` text,
	`created_at` integer NOT NULL,
	`ended_at` integer
);

CREATE INDEX `rule_runs_rule` ON `rule_runs` (`rule_id`,`created_at`,`clips`,`is_read`);
CREATE INDEX `rule_runs_key` ON `rule_runs` (`key_id`,`created_at`,`clips`);
CREATE INDEX `rule_runs_account` ON `rule_runs` (`account_id`,`created_at`,`id`);
CREATE INDEX `rule_runs_created` ON `rule_runs` (`created_at`);
CREATE INDEX `rule_runs_open` ON `rule_runs` (`upload_id`) WHERE (ended_at IS NULL OR notice IS NOT NULL);
CREATE TABLE `rules` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`key_id` text NOT NULL,
	`definition` text NOT NULL,
	`send` text NOT NULL,
	`enabled` integer NOT NULL,
	`paused_at` integer,
	`pause_reason` text,
	`failures` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL
);

CREATE INDEX `rules_account` ON `rules` (`account_id`,`created_at`,`id`);
CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`id_salt` text NOT NULL,
	`provisioned_slots` integer,
	`renderer` text,
	`labels` text DEFAULT '[]' NOT NULL,
	`viewing` text,
	`created_at` integer NOT NULL,
	`suspended_at` integer,
	`erasing_at` integer,
	`limits` text DEFAULT '{}' NOT NULL,
	`test_of` text
);

CREATE INDEX `accounts_created` ON `accounts` (`created_at`,`id`);
CREATE UNIQUE INDEX `accounts_test` ON `accounts` (`test_of`) WHERE "accounts"."test_of" IS NOT NULL;
CREATE INDEX `accounts_erasing` ON `accounts` (`erasing_at`) WHERE "accounts"."erasing_at" IS NOT NULL;
CREATE TABLE `agent_plans` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`request` text NOT NULL,
	`plan_sha256` text NOT NULL,
	`length` integer NOT NULL,
	`created_at` integer NOT NULL,
	`claims` integer DEFAULT 0 NOT NULL,
	`claimed_at` integer
);

CREATE INDEX `agent_plans_account` ON `agent_plans` (`account_id`,`created_at`);
CREATE INDEX `agent_plans_created` ON `agent_plans` (`created_at`);
CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`sha256` text NOT NULL,
	`hint` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	`name` text,
	`scope` text DEFAULT 'manage' NOT NULL,
	`expires_at` integer,
	`ingest_limits` text,
	`used_at` integer,
	`made_by` text,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
);

CREATE UNIQUE INDEX `api_keys_sha256` ON `api_keys` (`sha256`);
CREATE INDEX `api_keys_made_by` ON `api_keys` (`made_by`) WHERE "api_keys"."made_by" IS NOT NULL;
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`,`created_at`,`id`);
CREATE TABLE `assets` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text,
	`content_type` text NOT NULL,
	`width` integer,
	`height` integer,
	`seconds` real,
	`bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer
);

CREATE INDEX `assets_stored` ON `assets` (`account_id`,`id`);
CREATE INDEX `assets_list` ON `assets` (`account_id`,`kind`,`created_at`,`id`) WHERE "assets"."deleted_at" is null;
CREATE INDEX `assets_deleted` ON `assets` (`deleted_at`) WHERE "assets"."deleted_at" IS NOT NULL;
CREATE TABLE `clips` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`job_id` text NOT NULL,
	`version` integer NOT NULL,
	`state` text NOT NULL,
	`is_saved` integer NOT NULL,
	`title` text NOT NULL,
	`facts` text,
	`resolution` integer NOT NULL,
	`aspect` text,
	`fps` integer NOT NULL,
	`tier` text NOT NULL,
	`renderer` text,
	`duration_seconds` real NOT NULL,
	`video_key` text NOT NULL,
	`video_bytes` integer NOT NULL,
	`video_sha256` text NOT NULL,
	`thumbnail_key` text NOT NULL,
	`thumbnail_bytes` integer NOT NULL,
	`thumbnail_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`rendered_at` integer NOT NULL,
	`removal` text,
	`message` text
) WITHOUT ROWID;

CREATE INDEX `clips_list` ON `clips` (`account_id`,`state`,`is_saved`,`created_at`,`id`);
CREATE INDEX `clips_expiry` ON `clips` (`rendered_at`,`id`) WHERE "clips"."state" = 'ready' AND "clips"."is_saved" = 0;
CREATE TABLE `cursors` (
	`name` text PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL
);

CREATE TABLE `host_failures` (
	`host_id` text NOT NULL,
	`code` text NOT NULL,
	`failed_at` integer NOT NULL,
	`job_id` text NOT NULL,
	PRIMARY KEY(`host_id`, `code`, `failed_at`, `job_id`)
) WITHOUT ROWID;

CREATE INDEX `host_failures_failed` ON `host_failures` (`failed_at`);
CREATE TABLE `hosts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`token_sha256` text NOT NULL,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	`labels` text DEFAULT '[]' NOT NULL,
	`hold` text,
	`hold_until` integer,
	`note` text,
	`revision` integer DEFAULT 0 NOT NULL,
	`capabilities` text,
	`seen_at` integer,
	`unfit_build` text,
	`unfit_detail` text,
	`push` text
);

CREATE UNIQUE INDEX `hosts_token_sha256` ON `hosts` (`token_sha256`);
CREATE INDEX `hosts_created` ON `hosts` (`created_at`,`id`);
CREATE TABLE `jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`clip_id` text NOT NULL,
	`version` integer NOT NULL,
	`status` text NOT NULL,
	`mode` text NOT NULL,
	`priority` integer NOT NULL,
	`fps` integer,
	`resolution` integer NOT NULL,
	`error_code` text,
	`created_at` integer NOT NULL,
	`finished_at` integer,
	`watch_at` integer,
	`webhook_trouble` text,
	`trouble_at` integer,
	`idle_since` integer,
	`spare_since` integer,
	`changed_at` integer DEFAULT 0 NOT NULL,
	`rule_run` text,
	`is_test` integer DEFAULT false NOT NULL,
	`inspected_upload` text,
	`has_replay` integer DEFAULT false NOT NULL,
	`bytes` integer DEFAULT 0 NOT NULL
) WITHOUT ROWID;

CREATE INDEX `jobs_changed` ON `jobs` (`account_id`,`changed_at`);
CREATE INDEX `jobs_created` ON `jobs` (`created_at`,`id`);
CREATE INDEX `jobs_trouble` ON `jobs` (`trouble_at`,`id`) WHERE "jobs"."webhook_trouble" IS NOT NULL;
CREATE INDEX `jobs_list` ON `jobs` (`account_id`,`mode`,`created_at`,`id`);
CREATE INDEX `jobs_list_status` ON `jobs` (`account_id`,`status`,`mode`,`created_at`,`id`);
CREATE INDEX `jobs_unfinished` ON `jobs` (`account_id`) WHERE "jobs"."finished_at" IS NULL;
CREATE INDEX `jobs_idle` ON `jobs` (`idle_since`,`id`) WHERE "jobs"."idle_since" IS NOT NULL;
CREATE INDEX `jobs_spare` ON `jobs` (`account_id`,`spare_since`,`id`) WHERE "jobs"."spare_since" IS NOT NULL;
CREATE INDEX `jobs_inspected` ON `jobs` (`finished_at`) WHERE "jobs"."mode" = 'inspect';
CREATE INDEX `jobs_uploads` ON `jobs` (`account_id`,`inspected_upload`) WHERE "jobs"."inspected_upload" IS NOT NULL;
CREATE INDEX `jobs_test` ON `jobs` (`created_at`,`id`) WHERE "jobs"."is_test" = 1;
CREATE INDEX `jobs_rule_run` ON `jobs` (`rule_run`,`created_at`) WHERE "jobs"."rule_run" IS NOT NULL;
CREATE INDEX `jobs_replays` ON `jobs` (`account_id`,`clip_id`) WHERE "jobs"."has_replay" = 1;
CREATE INDEX `jobs_watch` ON `jobs` (`watch_at`) WHERE "jobs"."watch_at" IS NOT NULL;
CREATE TABLE `refused_demos` (
	`key_id` text NOT NULL,
	`name` text NOT NULL,
	`status` integer NOT NULL,
	`reason` text NOT NULL,
	`account_id` text NOT NULL,
	`bytes` integer,
	`refused_at` integer NOT NULL,
	`times` integer DEFAULT 1 NOT NULL,
	PRIMARY KEY(`key_id`, `name`, `status`)
);

CREATE INDEX `refused_demos_refused` ON `refused_demos` (`refused_at`);
CREATE INDEX `refused_demos_account` ON `refused_demos` (`account_id`,`refused_at`,`key_id`,`name`,`status`);
CREATE TABLE `uploads` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`bytes` integer NOT NULL,
	`sha256` text,
	`multipart_id` text,
	`parts` text DEFAULT '{}' NOT NULL,
	`part_writes` text DEFAULT '{}' NOT NULL,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	`expires_at` integer NOT NULL,
	`source` text DEFAULT 'upload' NOT NULL,
	`tag` text,
	`facts` text,
	`key_id` text,
	`demo_url` text
);

CREATE UNIQUE INDEX `uploads_content` ON `uploads` (`account_id`,`sha256`,`bytes`);
CREATE INDEX `uploads_list` ON `uploads` (`account_id`,`created_at`,`id`);
CREATE INDEX `uploads_expiry` ON `uploads` (`expires_at`);
CREATE INDEX `uploads_open` ON `uploads` (`created_at`) WHERE "uploads"."completed_at" is null;
CREATE TABLE `budgets` (
	`owner` text NOT NULL,
	`name` text NOT NULL,
	`period` integer NOT NULL,
	`used` integer NOT NULL,
	PRIMARY KEY(`owner`, `name`)
) WITHOUT ROWID;

CREATE INDEX `budgets_name` ON `budgets` (`name`);
CREATE TABLE `clip_views` (
	`day` integer NOT NULL,
	`clip_id` text NOT NULL,
	`views` integer NOT NULL,
	PRIMARY KEY(`day`, `clip_id`)
) WITHOUT ROWID;

CREATE TABLE `usage` (
	`job_id` text NOT NULL,
	`run` integer NOT NULL,
	`account_id` text NOT NULL,
	`tier` text NOT NULL,
	`resolution` integer NOT NULL,
	`fps` integer NOT NULL,
	`renderer` text DEFAULT '' NOT NULL,
	`seconds` real NOT NULL,
	`rendered_at` integer NOT NULL,
	PRIMARY KEY(`job_id`, `run`)
) WITHOUT ROWID;

CREATE INDEX `usage_rendered` ON `usage` (`rendered_at`);
CREATE TABLE `usage_days` (
	`account_id` text NOT NULL,
	`day` integer NOT NULL,
	`tier` text NOT NULL,
	`resolution` integer NOT NULL,
	`fps` integer NOT NULL,
	`renderer` text DEFAULT '' NOT NULL,
	`seconds` real NOT NULL,
	`runs` integer NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `tier`, `resolution`, `fps`, `renderer`)
) WITHOUT ROWID;

CREATE INDEX `usage_days_day` ON `usage_days` (`day`);
CREATE TABLE `webhook_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`hint` text NOT NULL,
	`created_at` integer NOT NULL
);

CREATE INDEX `webhook_secrets_account` ON `webhook_secrets` (`account_id`,`created_at`,`id`);
