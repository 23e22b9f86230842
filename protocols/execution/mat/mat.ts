import { operation, protocol } from '@svc/contract/protocol'
import {
  BeginInput,
  BeginOutput,
  begin_example,
  beginOwnCall,
  call_begun,
  EndInput,
  EndOutput,
  end_example,
  endOwnCall,
} from './own-call.ts'
import { approveTool, disableTool, registerServer, wrongFields } from './tool-deciding.ts'
import { discoverTools } from './tool-discovery.ts'
import { DiscoveryInput, DiscoveryOutput, ToolInput, ToolOutput, timeout_ms_max } from './tool-input.ts'
import { invokeTool } from './tool-invoking.ts'

/** To connect, list, and store the result. */
const around_ms = 30_000

export const mat = protocol({
  id: 'MAT',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-commerce',
  summary:
    'Tools: those of other MCP servers and A2A agents, once approved as they are, every operation of this engine, and functions of the callers themselves.',

  operations: {
    tool: operation({
      summary: 'Use a tool, or decide which servers and tools may be used.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      acts_outside: true,
      ending: { success_when: '!has(data.is_error) || !data.is_error' },
      deadline_ms: timeout_ms_max + around_ms,
      secret_output: true,
      needs: ['compute', 'requireApproval', 'served', 'tools', 'vault'],
      input: ToolInput,
      output: ToolOutput,
      example: {
        tool_id: 'svc:mind.store_memory',
        arguments: { kind: 'semantic', payload: { text: 'Gate 4 is locked at night.' } },
      },
      handle(input, context) {
        const { action = 'invoke', server } = input
        if (action === 'register') {
          if (!server) throw wrongFields('/server', 'is needed')
          return registerServer(server, context)
        }
        if (server) throw wrongFields('/server', 'is for register')
        if (action === 'approve') return approveTool(input, context)
        return action === 'disable' ? disableTool(input, context) : invokeTool(input, context)
      },
    }),

    tool_discovery: operation({
      summary: 'Find tools for a task, with their input schemas and error rates.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['authority', 'budgets', 'embedder', 'served', 'tools', 'vault'],
      input: DiscoveryInput,
      output: DiscoveryOutput,
      example: { query: 'remember a fact', limit: 5 },
      handle: discoverTools,
    }),

    begin_call: operation({
      summary: 'Ask before you run a function in your own process; every rule applies as to any call.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      secret_output: true,
      needs: ['vault'],
      input: BeginInput,
      output: BeginOutput,
      example: begin_example,
      handle: beginOwnCall,
    }),

    end_call: operation({
      summary: 'Report how a function ended that you began with begin_call.',
      effect: 'write',
      level: 'L1',
      meters: ['seconds'],
      input: EndInput,
      output: EndOutput,
      example: end_example,
      scene: call_begun,
      handle: endOwnCall,
    }),
  },
})
