// svc logout: revokes the login, then deletes it. In this order, or it could no longer be revoked.
import { existsSync } from 'node:fs'
import { readConfigFile } from '@svc/sdk/settings'
import type { Command, Terminal } from '../command.ts'
import { exitCodeOf } from '../exit.ts'
import { configPathOf, removeConfig, withLock } from '../login/config-file.ts'
import { type Ended, endLogin } from '../login/end-login.ts'
import { refreshTokens } from '../login/token-refresh.ts'
import { harmless } from '../output/harmless-text.ts'
import { type Format, formatOf, printValue } from '../output/output.ts'
import { profileOf, refuseArguments } from '../profile.ts'
import { hostOf } from '../settings.ts'

export const logout: Command = {
  summary: 'Revoke tokens and key, and delete the config file',
  usage: 'logout [--profile P] [--force]',
  help: `Revokes the API key and both tokens of this login at the engine, then deletes the config file.
If the engine cannot be reached, nothing is deleted, and the exit code is 6.

Flags
  --profile P   the login of ~/.svc/profiles/P.json
  --force       delete the file even if something could not be revoked

Examples
  svc logout
  svc logout --profile work`,
  flags: { force: { type: 'boolean' } },
  async run(args, flags, terminal) {
    refuseArguments(args, 'logout')
    const format = formatOf(flags, 'human')
    const profile = profileOf(flags, terminal)
    const path = configPathOf(terminal, profile)
    if (!existsSync(path)) {
      if (format === 'human') terminal.out(`Nobody is signed in here: there is no ${path}.\n`)
      else await printValue({ revoked: [], not_revoked: [], file: path, deleted: false }, format, terminal)
      warnOfEnvironment(terminal)
      return 0
    }
    const config = readConfigFile(profile, hostOf(terminal))
    const renew = (ended: string) => refreshTokens(terminal, profile, ended)
    const ended = await endLogin(config, { fetch: terminal.fetch, renew })
    const is_kept = ended.left.length > 0 && flags.force !== true
    if (!is_kept) await withLock(path, terminal.signal, () => removeConfig(path))
    await report(ended, { path, is_kept }, format, terminal)
    warnOfEnvironment(terminal)
    return ended.left.length === 0 || flags.force === true ? 0 : exitCodeOf(ended.left[0]!.why)
  },
}

async function report(
  { done, left }: Ended,
  { path, is_kept }: { path: string; is_kept: boolean },
  format: Format,
  terminal: Terminal,
): Promise<void> {
  const is_human = format === 'human'
  if (is_human) for (const what of done) terminal.out(`Revoked ${what}.\n`)
  else {
    const not_revoked = left.map(({ what }) => what)
    await printValue({ revoked: done, not_revoked, file: path, deleted: !is_kept }, format, terminal)
  }
  for (const { what, why } of left) {
    const sentence = harmless(why instanceof Error ? why.message : String(why))
    terminal.err(`Not revoked: ${what}. ${sentence}\n`)
  }
  if (is_kept)
    terminal.err(`${path} was not deleted, so that you can try again; --force deletes it anyway.\n`)
  else if (is_human) terminal.out(`Deleted ${path}.\n`)
}

function warnOfEnvironment({ env, err }: Terminal): void {
  if (env.SVC_API_KEY) err('SVC_API_KEY is still set in your environment; logout does not change it.\n')
}
