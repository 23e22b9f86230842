// The controls of the engine itself, without any standard.
import { type FrameworkFacts, shownBy } from './framework.ts'
import { decisions, operation, oversight } from './queries.ts'

export const core: FrameworkFacts = {
  about: 'Rules of this engine that its own log can show, without reference to a standard.',
  controls: [
    shownBy(
      'refusals-have-reasons',
      'Refusals have reasons',
      'Does every refusal carry its reason?',
      [decisions.refusals],
      'Whether the reasons were right; explain a single refusal with MAX.explainability_request.',
    ),
    shownBy(
      'changes-are-authorised',
      'Changes are authorized',
      'Did every call that was carried out pass a capability check?',
      [decisions.calls],
      'Changes that do not go through this engine, such as those made directly in the database.',
    ),
    shownBy(
      'authority-is-named',
      'Borrowed authority is named',
      'Does every call under a delegation, treaty or envelope name it?',
      [decisions.borrowed_authority],
      'Why the authority was given.',
    ),
    shownBy(
      'charter-acts-have-verdicts',
      'Charter-level acts have verdicts',
      'Does every call that always needs a verdict of the charter name it?',
      [oversight.charter_acts],
      'What council members knew when they voted. The only member of a charter decides by acting; its verdict says so.',
    ),
    shownBy(
      'books-reconciled',
      'Metering is reconciled',
      'Was the metering reconciled, and did it balance?',
      [operation.reconciliations],
      'Accounts outside of this engine.',
    ),
    shownBy(
      'dissent-kept',
      'Dissent is kept',
      'Does every council verdict say how many dissented?',
      [oversight.verdicts],
      'Opinions that nobody recorded.',
    ),
  ],
}
