// The surfaces of an engine, each behind the same call, for tests that compare them.
import {
  InMemoryTransport,
  Client as McpClient,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { runCli } from '@svc/cli/run'
import { engineOver } from '@svc/mcp/engine'
import { mcpServer } from '@svc/mcp/server'
import { createClient, type RefusalBody, SvcError } from '@svc/sdk'
import type { InProcessService } from '../engines/in-process.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { testTerminal } from './test-terminal.ts'

export interface Reply {
  readonly correlation_id: string
  readonly output?: unknown
  readonly error?: RefusalBody
}

export interface Surface {
  call(protocol: string, operation: string, input: unknown): Promise<Reply>
  close(): Promise<void>
}

interface Way {
  readonly name: string
  readonly origin: 'http' | 'mcp'
  connect(caller: Addresses, service: InProcessService): Promise<Surface>
}

const nothing = async () => undefined

const over_http: Way = {
  name: 'http',
  origin: 'http',
  connect: async (caller) => ({
    async call(protocol, operation, input) {
      const { body, headers } = await dispatch(caller, { protocol, operation, input, version: 'v1.0.0' })
      return { correlation_id: headers.get('x-correlation-id')!, output: body.output, error: body.error }
    },
    close: nothing,
  }),
}

function settingsOf({ api_url, api_key, agent_did, tenant_id }: Addresses) {
  return { apiUrl: api_url, apiKey: api_key, agentDid: agent_did, tenantId: tenant_id }
}

const over_sdk: Way = {
  name: 'sdk',
  origin: 'http',
  connect: async (caller) => {
    const client = createClient(settingsOf(caller))
    return {
      async call(protocol, operation, input) {
        try {
          const { output, metadata } = await client.dispatch(protocol, operation, input)
          return { correlation_id: metadata.correlation_id, output }
        } catch (error) {
          if (error instanceof SvcError) return { correlation_id: error.correlation_id!, error }
          throw error
        }
      },
      close: nothing,
    }
  },
}

const over_cli: Way = {
  name: 'cli',
  origin: 'http',
  connect: async ({ api_url, api_key, agent_did, tenant_id }) => ({
    async call(protocol, operation, input) {
      const env = {
        SVC_API_URL: api_url,
        SVC_API_KEY: api_key,
        SVC_AGENT_DID: agent_did,
        SVC_TENANT_ID: tenant_id,
      }
      const terminal = testTerminal({ env, stdin: JSON.stringify(input) })
      await runCli(['invoke', protocol, operation, '--input', '-', '--no-check'], terminal)
      const body = JSON.parse(terminal.stdout)
      const correlation_id = body.metadata?.correlation_id ?? body.error.correlation_id
      return { correlation_id, output: body.output, error: body.error }
    },
    close: nothing,
  }),
}

async function callTool(
  client: McpClient,
  protocol: string,
  operation: string,
  input: unknown,
): Promise<Reply> {
  const name = `svc.${protocol.toLowerCase()}.${operation}`
  const result = await client.callTool({ name, arguments: input as Record<string, unknown> })
  const meta = result._meta as Record<string, unknown>
  const error = meta['svc/error'] as RefusalBody | undefined
  if (result.isError) return { correlation_id: error!.correlation_id!, error: error! }
  return { correlation_id: meta.correlation_id as string, output: result.structuredContent }
}

const over_local_mcp: Way = {
  name: 'mcp-local',
  origin: 'mcp',
  connect: async (caller) => {
    const sdk = createClient({ ...settingsOf(caller), headers: { 'x-svc-origin': 'mcp' } })
    const [ours, theirs] = InMemoryTransport.createLinkedPair()
    await mcpServer(engineOver(sdk), {}).connect(ours)
    const client = new McpClient({ name: 'surfaces', version: '1.0.0' })
    await client.connect(theirs)
    return { call: (...args) => callTool(client, ...args), close: () => client.close() }
  },
}

const over_hosted_mcp: Way = {
  name: 'mcp-hosted',
  origin: 'mcp',
  connect: async ({ api_key, agent_did }, service) => {
    const headers = { authorization: `Bearer ${api_key}`, 'x-agent-did': agent_did }
    const client = new McpClient({ name: 'surfaces', version: '1.0.0' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(service.service.mcp_url!), { requestInit: { headers } }),
    )
    return { call: (...args) => callTool(client, ...args), close: () => client.close() }
  },
}

export const surfaces: readonly Way[] = [over_http, over_sdk, over_cli, over_local_mcp, over_hosted_mcp]
