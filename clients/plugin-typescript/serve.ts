// Adapts a plugin literal to the two exports of the world `svc:plugin/plugin`.
import { type CallFacts, contextOf, type WitHost } from './context.ts'
import type { Plugin } from './operation.ts'
import { PluginRefusal, toWit, type WitRefusal } from './refusal.ts'

export interface Served {
  operations(): string[]
  invoke(operation: string, payload: string, context: string): Promise<string>
}

const stack_chars_max = 2_000

export function serve(plugin: Plugin, host: WitHost): Served {
  return {
    operations: () => Object.keys(plugin.operations),
    async invoke(name, payload, context) {
      try {
        const operation = Object.hasOwn(plugin.operations, name) ? plugin.operations[name] : undefined
        if (!operation) throw new PluginRefusal('unknown_operation', `This plugin has no operation ${name}.`)
        const facts: CallFacts = JSON.parse(context)
        const output = await operation.handle(JSON.parse(payload) as never, contextOf(facts, host))
        return textOf(output ?? {})
      } catch (thrown) {
        throw sayable(thrown, host)
      }
    },
  }
}

function textOf(output: unknown): string {
  const text: string | undefined = JSON.stringify(output)
  if (text === undefined) throw new TypeError(`The handler returned a ${typeof output}, which is not JSON.`)
  return text
}

/** A value that cannot cross the component boundary would trap the instance, so it is reported as a bug. */
function sayable(thrown: unknown, host: WitHost): WitRefusal {
  try {
    return toWit(refusalOf(thrown, host))
  } catch (unsayable) {
    return toWit(refusalOf(unsayable, host))
  }
}

/** Any other error is a bug of the plugin: the cause goes to the log, not to the caller. */
function refusalOf(thrown: unknown, host: WitHost): PluginRefusal {
  if (thrown instanceof PluginRefusal) return thrown
  const { message, stack } = thrown instanceof Error ? thrown : { message: String(thrown), stack: '' }
  host.log('error', `${message}\n${stack ?? ''}`.slice(0, stack_chars_max))
  return new PluginRefusal(
    'protocol_error',
    'The plugin failed while handling this call; its operator can find the cause in the log.',
  )
}
