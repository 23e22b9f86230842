// Programs the operator of an engine allows to be started. A payload names one by its ref; no payload ever holds a command line.

export interface AllowedCommand {
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment of the program besides HOME and TMPDIR, which are its own empty folder. */
  readonly env: Readonly<Record<string, string>>
  /** Running it twice does no harm: what is uncertain after a crash may simply be done again. */
  readonly idempotent: boolean
  /** Who may name it; everybody where this is absent. */
  readonly tenants?: readonly string[]
}

/** By ref. */
export type AllowedCommands = ReadonlyMap<string, AllowedCommand>

/** How a ref is written, wherever one is. */
export const command_ref_form = /^[a-z][a-z0-9_.-]{0,63}$/

/** Undefined where there is none of that name for this tenant: both look the same. */
export function findCommand(
  commands: AllowedCommands,
  ref: string,
  tenant_id: string,
): AllowedCommand | undefined {
  const command = commands.get(ref)
  return command?.tenants?.includes(tenant_id) === false ? undefined : command
}
