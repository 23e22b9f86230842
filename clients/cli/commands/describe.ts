// svc describe: one operation, as the engine describes it.
import { loadCompletions } from '../calls/completions-data.ts'
import { nameOperation } from '../calls/operation-names.ts'
import type { Command } from '../command.ts'
import { UsageError } from '../exit.ts'
import { describePage } from '../operations/describe-page.ts'
import { describeOperation, openDirectory } from '../operations/engine-directory.ts'
import { formatOf, printValue } from '../output/output.ts'
import { textFlag } from '../settings.ts'

export const describe: Command = {
  summary: 'Show the input, the answer and an example of an operation',
  usage: 'describe <PROTOCOL> <operation> [flags]',
  help: `
Shows what an operation does, the fields of its input and its answer with their limits, the capability it
needs, the refusals it can give and an example that works. It asks the engine, so it is right for
its version and its plugins; no key is needed.

Flags
  --version <v>            version of the protocol (default: the engine's)
  --json                   the description with the JSON schemas of input and answer

Examples
  svc describe MAX audit_query
  svc describe svc.moat.propose --json=capability,input_schema
`,
  flags: { version: { type: 'string' } },
  async run(args, flags, terminal) {
    const format = formatOf(flags, 'human')
    const named = nameOperation(args, await loadCompletions(), 'describe')
    const { protocol, operation, nearest_operation } = named
    const wish = { protocol, operation, version: textFlag(flags, 'version') }
    const described = await describeOperation(openDirectory(flags, terminal), wish)
    if (!described)
      throw new UsageError(
        `${protocol} has no operation ${operation}.${nearest_operation ? ` Did you mean ${nearest_operation}?` : ''}`,
        `svc operations ${protocol} lists its operations.`,
      )
    if (format === 'human') terminal.out(describePage(described, terminal))
    else await printValue(described, format, terminal)
    return 0
  },
}
