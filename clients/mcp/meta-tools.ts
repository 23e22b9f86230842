// The two tools that are not operations: one searches tools, the other calls any tool by name.
import type { Tool } from '@modelcontextprotocol/server'
import { categories } from './tools.ts'

export const search_limit_max = 50
export const search_limit_default = 5
export const query_length_max = 500

const found_tool = {
  type: 'object',
  required: ['name', 'title', 'description', 'category', 'may', 'input_schema'],
  properties: {
    name: { type: 'string' },
    title: { type: 'string' },
    description: { type: 'string' },
    category: { type: ['string', 'null'] },
    may: { enum: ['yes', 'no', 'depends'], description: 'Whether you may call it.' },
    why_not: { type: 'string', description: 'The message a call would be refused with.' },
    input_schema: { type: 'object', description: 'JSON Schema of its arguments.' },
  },
  additionalProperties: false,
}

export const search_tool: Tool = {
  name: 'svc.search_tools',
  title: 'Search tools',
  description:
    'Find tools by what they do, with the schema of their arguments; includes those you may not call, with the reason. ' +
    'Any tool it returns can be called, even if it is not in the list.',
  inputSchema: {
    type: 'object',
    properties: {
      query: {
        type: 'string',
        maxLength: query_length_max,
        description: 'Words of the task, such as "verify audit records"; without it, all tools are returned.',
      },
      category: { type: 'string', description: `${categories.join(', ')}, or a protocol such as MAX.` },
      limit: { type: 'integer', minimum: 1, maximum: search_limit_max, default: search_limit_default },
    },
    additionalProperties: false,
  },
  outputSchema: {
    type: 'object',
    required: ['tools', 'total'],
    properties: {
      tools: { type: 'array', items: found_tool },
      total: { type: 'integer', minimum: 0, description: 'Total number of matches.' },
    },
    additionalProperties: false,
  },
  annotations: {
    title: 'Search tools',
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
}

export const call_tool: Tool = {
  name: 'svc.call_tool',
  title: 'Call any tool',
  description:
    'Call a tool that is not in the list by the name svc.search_tools gave, with arguments that fit its schema. ' +
    'It is checked and recorded like a direct call of the tool.',
  inputSchema: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', maxLength: 128, description: 'svc.<protocol>.<operation>' },
      arguments: { type: 'object', description: 'Arguments of that tool; default none.' },
    },
    additionalProperties: false,
  },
  annotations: {
    title: 'Call any tool',
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
}
