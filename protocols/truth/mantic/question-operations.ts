// The operations of MANTIC in which a question lives: it is opened, forecast, and resolved.
import { operation } from '@svc/contract/protocol'
import type { SceneStep } from '@svc/contract/scene'
import { stand_ins } from '@svc/contract/scene'
import { ListQuestionsInput, ListQuestionsOutput, listQuestions } from './list-questions.ts'
import { OpenInput, OpenOutput, openQuestion } from './open-question.ts'
import { ResolveInput, ResolveOutput, resolveQuestion } from './resolve-question.ts'
import { ForecastInput, ForecastOutput, submitForecasts } from './submit-forecasts.ts'

const question_ref = 'mantic://question/0d9c1d1f-8a52-4b8f-9d5e-5f0c1d6e7a10'
const claim_ref = `maven://claim/${'c1'.repeat(32)}`
const in_time = {
  statement: 'Will the supplier deliver order 17 by the end of the month, by the receipt of our warehouse?',
  kind: 'binary' as const,
  topic: 'deliveries',
  locks_at: stand_ins.in_a_month,
}
const by_you = { ...in_time, resolver: stand_ins.did }
const by_partner = { ...in_time, resolver: stand_ins.partner_did }
const receipt = {
  claim: { subject: 'Order 17', predicate: 'status', object: 'delivered' },
  evidence: [{ content: 'Receipt of the warehouse: order 17, 12 pallets.' }],
  method: 'observation' as const,
}
const openedBy = (resolver: typeof by_you | typeof by_partner): SceneStep => ({
  call: 'MANTIC.open_question',
  input: resolver,
  answer: { question_ref },
})

export const question_operations = {
  open_question: operation({
    summary: 'Open a question: what is asked, who resolves it, and until when it is forecast.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    // Its words are stored as content: a retained input would outlive their redaction.
    keep_input: false,
    needs: ['embedder', 'lineages', 'requireAuthority', 'vault'],
    input: OpenInput,
    output: OpenOutput,
    example: by_partner,
    handle: openQuestion,
  }),

  forecast: operation({
    summary: 'Submit your own forecasts of open questions; until a question locks you can change them.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    deadline_ms: 10_000,
    keep_input: false,
    needs: ['lineages', 'vault'],
    input: ForecastInput,
    output: ForecastOutput,
    example: { forecasts: [{ question_ref, probability: 0.8 }] },
    scene: [openedBy(by_partner)],
    handle: submitForecasts,
  }),

  resolve: operation({
    summary: 'Say how a question came out, with a citation; forecasts locked before are scored.',
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    deadline_ms: 20_000,
    keep_input: false,
    needs: ['audit_log', 'authority', 'compute', 'embedder', 'lineages', 'vault'],
    input: ResolveInput,
    output: ResolveOutput,
    example: { question_ref, outcome: true, citation: { source_ref: claim_ref } },
    scene: [openedBy(by_you), { call: 'MAVEN.attest', input: receipt, answer: { claim_ref } }],
    handle: resolveQuestion,
  }),

  list_questions: operation({
    summary: 'List questions with their resolvers, outcomes and citations, and your own forecasts.',
    effect: 'read',
    level: 'L0',
    meters: ['seconds'],
    secret_output: true,
    needs: ['vault'],
    input: ListQuestionsInput,
    output: ListQuestionsOutput,
    example: { topic: 'deliveries', status: 'open' },
    scene: [openedBy(by_partner)],
    handle: listQuestions,
  }),
}
