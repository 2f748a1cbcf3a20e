/** The roles of operators. Each includes those before it. */
export const ROLES = ['read', 'operate', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** An operator who calls the operators' API. */
export interface Operator {
  /** Null for the deployment's own token. */
  readonly id: string | null;
  readonly name: string;
  readonly role: Role;
}

export function mayAct({ role }: Pick<Operator, 'role'>, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
