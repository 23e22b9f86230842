// Programs the operator allows to be started. A payload names one by its ref, and never holds a command line.

export interface AllowedCommand {
  readonly command: string
  readonly args: readonly string[]
  /** The program's whole environment besides HOME and TMPDIR, which are its own empty folder. */
  readonly env: Readonly<Record<string, string>>
  /** Idempotent: after a crash it may simply run again. */
  readonly idempotent: boolean
  /** Tenants that may name it; all where absent. */
  readonly tenants?: readonly string[]
}

/** By ref. */
export type AllowedCommands = ReadonlyMap<string, AllowedCommand>

/** The form of a ref. */
export const command_ref_form = /^[a-z][a-z0-9_.-]{0,63}$/

/** Undefined where this tenant has none of that name; absent and forbidden look the same. */
export function findCommand(
  commands: AllowedCommands,
  ref: string,
  tenant_id: string,
): AllowedCommand | undefined {
  const command = commands.get(ref)
  return command?.tenants?.includes(tenant_id) === false ? undefined : command
}
