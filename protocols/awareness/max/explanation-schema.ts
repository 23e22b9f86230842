// Input and output of MAX explainability_request.
import { AnyObject, CapabilityName, Closed, described, ListOf, OneOf, Ref, Uuid } from '@svc/contract/schema'
import { Type } from 'typebox'

export const ExplanationInput = Closed({
  correlation_id: described(Uuid, 'Request that is explained.'),
  audience: Type.Optional(
    described(
      OneOf('subject', 'operator', 'auditor'),
      'subject (default) hides the DIDs of other agents; operator and auditor see them.',
    ),
  ),
  counterfactuals: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'Also say which single changes would have led to another decision.',
    }),
  ),
})

export const ExplanationOutput = Closed({
  decision: described(
    OneOf('allowed', 'refused', 'failed'),
    'allowed; refused by a rule; failed while it ran.',
  ),
  stage: Type.Integer({
    description: 'Stage that decided, 0 to 8: 4 is Capability, 5 Circuit breaker and budget.',
  }),
  code: Type.Optional(
    Type.String({ description: 'Code of the refusal or failure; absent where it was allowed.' }),
  ),
  reason: Type.String({ description: 'Rule that decided, in a few words.' }),
  capability: Closed(
    {
      requested: Type.Optional(described(CapabilityName, 'Capability that the call needed.')),
      matched: Type.Optional(
        Type.String({
          description: 'Capability of the caller that covered the request; absent where none did.',
        }),
      ),
      source: Type.Optional(
        Type.String({
          description:
            'Where it came from: declared, key, delegation, treaty, envelope, role, or open to all.',
        }),
      ),
      ref: Type.Optional(
        Type.String({ description: 'Delegation token, treaty or envelope that gave the capability.' }),
      ),
      credential: Type.Optional(
        Type.String({ description: 'Id of the API key, `token:` or `session:` that was presented.' }),
      ),
    },
    { description: 'What the call needed and what granted it.' },
  ),
  policies: described(
    ListOf(
      Closed({
        id: Type.String({ description: 'Policy id.' }),
        version: Type.String({ description: 'Version in force at the time of the call.' }),
        effect: Type.String({ description: 'permit or forbid.' }),
        text: Type.String({ description: 'The policy in Cedar.' }),
      }),
      0,
      4096,
    ),
    'Policies that determined the decision, as they were then.',
  ),
  council: Type.Optional(
    Closed(
      {
        verdict: Type.Union([Ref, Type.Null()], {
          description: 'Verdict that was used; null where there was none.',
        }),
        pass: Type.Boolean({ description: 'Whether the council allowed it.' }),
        dissent: described(ListOf(Type.Unknown(), 0, 1024), 'Opinions of members who voted otherwise.'),
      },
      { description: 'Council decision behind it; absent where none was needed.' },
    ),
  ),
  limits: Type.Optional(described(AnyObject, 'Limits that were hit, e.g. retry_after_ms.')),
  counterfactuals: described(
    ListOf(
      Closed({
        change: Type.String({ description: 'What would have been different.' }),
        outcome: described(
          OneOf('passes', 'refused_next', 'not_judged'),
          'passes: judged again with this change, nothing that the log can judge refuses it; stages after it depend on ' +
            'budgets, endpoints and modules of that time. refused_next: another rule refuses it then. ' +
            'not_judged: the log lacks what it depends on.',
        ),
        result: Type.String({ description: 'What would have happened then, in words.' }),
        next: Type.Optional(
          Closed(
            {
              stage: Type.Integer({ description: 'Stage that would have refused it.' }),
              code: Type.String({ description: 'Code of that refusal.' }),
              reason: Type.String({ description: 'Rule behind that refusal.' }),
            },
            { description: 'The refusal that comes next; with refused_next.' },
          ),
        ),
      }),
      0,
      16,
    ),
    'Changes that were tried by judging the recorded call again, each with what it would have led to. A combination is ' +
      'named where no single change is enough.',
  ),
  appeal_path: Type.Optional(Type.String({ description: 'How to contest the refusal.' })),
  narrative: Type.String({ description: 'The whole decision in sentences for people.' }),
  evidence: described(ListOf(Ref), 'Audit records the explanation was made from.'),
  consistent: Type.Boolean({
    description: 'False where the rules, applied again, contradict the record.',
  }),
})
