// Errors on a page are shown as a page, and recorded like any refusal.

import { Refusal, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import type { FastifyInstance } from 'fastify'
import { journalled, recordRefusedRequest } from '../dispatch/refusal-recorder.ts'
import type { LoginContext } from './login-context.ts'
import { errorPage, html_headers } from './pages.ts'

export function answerPeople(pages: FastifyInstance, { dispatch_endpoint }: LoginContext): void {
  pages.setErrorHandler(async (error, request, reply) => {
    const refusal = asRefusal(inOurWords(error))
    const correlation_id = recordRefusedRequest(dispatch_endpoint, refusal, request.raw)
    await journalled(dispatch_endpoint)
    reply.code(refusal.row.status).headers({ ...html_headers, 'x-correlation-id': correlation_id })
    return reply.send(errorPage(refusal.message, request.url.split('?', 1)[0]!))
  })
}

function inOurWords(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const { name, statusCode } = error as { name?: string; statusCode?: number }
  if (name === 'SessionNotFound') {
    return refuse(
      'invalid_request',
      'This sign-in is over or was begun in another browser; start it again.',
      {
        reason: 'no interaction',
      },
    )
  }
  if (statusCode === 413)
    return refuse('payload_too_large', 'That was too long; send less.', { reason: 'form' })
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return refuse('invalid_request', 'The form cannot be read; open the page again.', { reason: 'form' })
  return error
}
