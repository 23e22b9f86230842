// All migrations in order. Each is defined beside the code that owns its tables.

import { access_migrations } from '@svc/adapters/access/api-keys'
import { charter_migrations } from '@svc/adapters/access/charter'
import { gateway_migrations } from '@svc/adapters/access/gateway-contexts'
import { operator_migrations } from '@svc/adapters/access/operator-tenant'
import { revocation_migrations } from '@svc/adapters/access/revocations'
import { standing_migrations } from '@svc/adapters/access/standing'
import { home_migrations } from '@svc/adapters/access/tenant-homes'
import { workload_migrations } from '@svc/adapters/access/workloads'
import { account_migrations } from '@svc/adapters/accounts/account-migrations'
import { invitation_login_migrations, role_migrations } from '@svc/adapters/accounts/role-migrations'
import { custody_migrations } from '@svc/adapters/custody/keystore'
import { external_migrations, external_trust_migrations } from '@svc/adapters/external/registrations'
import { plugin_migrations } from '@svc/adapters/plugins/plugin-store'
import { replica_migrations } from '@svc/adapters/rate-limit/live-replicas'
import { month_migrations } from '@svc/adapters/rate-limit/month-store'
import { tier_migrations } from '@svc/adapters/rate-limit/tier-changes'
import { root_key_migrations } from '@svc/adapters/root-keys/root-key-tables'
import { outgoing_mail_migrations } from '@svc/adapters/smtp/mail-tables'
import { store_migrations } from '@svc/adapters/store/roles'
import { treaty_change_migrations } from '@svc/adapters/treaties/treaty-cache'
import { webhook_migrations } from '@svc/adapters/webhooks/webhook-tables'
import { archive_migrations } from '@svc/audit/archive/archive-migrations'
import { audit_migrations, moved_log_migrations } from '@svc/audit/audit-log-migrations'
import { forgetting_migrations } from '@svc/audit/inputs/forget-inputs'
import { shared_reading_migrations } from '@svc/audit/query/shared-reading'
import { fan_out_migrations } from '@svc/audit/sinks/fan-out-tables'
import { followed_key_migrations, witness_migrations } from '@svc/audit/witness/witness-tables'
import type { Migration } from '@svc/database/migration'
import { idempotency_migrations } from '@svc/engine/idempotency/idempotency'
import { one_time_use_migrations } from '@svc/engine/one-time-use'
import { aegis_migrations } from '@svc/nodes/aegis-store'
import { arsenal_node_migrations } from '@svc/nodes/arsenal-node'
import { oas_node_migrations } from '@svc/nodes/oas-node'
import { history_migrations } from '@svc/protocols/awareness/history/api'
import { report_migrations, view_migrations } from '@svc/protocols/awareness/max/api'
import { metric_migrations, metric_min_migrations } from '@svc/protocols/awareness/metrics/api'
import {
  court_mail_migrations,
  mail_batch_migrations,
  mail_migrations,
  mail_owner_migrations,
  task_end_migrations,
  task_migrations,
  topic_migrations,
} from '@svc/protocols/awareness/mim/api'
import { signal_migrations } from '@svc/protocols/awareness/motet/api'
import { alert_migrations } from '@svc/protocols/awareness/motif/api'
import { registry_migrations } from '@svc/protocols/awareness/registry/api'
import { memory_migrations, memory_reader_migrations } from '@svc/protocols/cognition/cells/api'
import { content_migrations, reader_migrations } from '@svc/protocols/cognition/content/api'
import { knowledge_migrations } from '@svc/protocols/cognition/knowledge/api'
import { redaction_migrations } from '@svc/protocols/cognition/mame/api'
import { mantle_migrations } from '@svc/protocols/cognition/mantle/api'
import { model_migrations } from '@svc/protocols/cognition/marc/api'
import { contract_migrations, exchange_migrations } from '@svc/protocols/economic/contracts/api'
import { estate_migrations } from '@svc/protocols/economic/estate/api'
import {
  account_history_migrations,
  available_migrations,
  fee_migrations,
  journal_id_migrations,
  ledger_migrations,
} from '@svc/protocols/economic/ledger/api'
import { mana_migrations } from '@svc/protocols/economic/mana/api'
import { market_migrations, market_rule_migrations } from '@svc/protocols/economic/market/api'
import { meter_migrations } from '@svc/protocols/economic/meal/api'
import { maestro_migrations } from '@svc/protocols/execution/maestro/api'
import { artifact_migrations, artifact_record_migrations } from '@svc/protocols/execution/mage/api'
import { action_list_migrations, action_migrations } from '@svc/protocols/execution/maker/api'
import {
  a2a_server_migrations,
  own_call_migrations,
  tool_approval_migrations,
  tool_migrations,
} from '@svc/protocols/execution/mat/api'
import { moon_history_migrations, moon_migrations } from '@svc/protocols/execution/moon/api'
import { device_migrations } from '@svc/protocols/execution/mote/api'
import { stop_latch_migrations } from '@svc/protocols/execution/stop-latch/api'
import { approval_migrations } from '@svc/protocols/governance/approvals/api'
import { case_migrations, court_migrations, draw_party_migrations } from '@svc/protocols/governance/cases/api'
import { dissolution_migrations } from '@svc/protocols/governance/mausoleum/api'
import { dilemma_migrations } from '@svc/protocols/governance/maxim/api'
import { treaty_migrations } from '@svc/protocols/governance/moat/api'
import { motion_migrations } from '@svc/protocols/governance/motions/api'
import { policy_migrations } from '@svc/protocols/governance/policies/api'
import { pattern_migrations } from '@svc/protocols/governance/precedents/api'
import { identity_key_migrations } from '@svc/protocols/identity/keys/api'
import {
  access_request_migrations,
  derivation_migrations,
  lineage_migrations,
  macs_migrations,
  recovery_migrations,
} from '@svc/protocols/identity/macs/api'
import {
  forecast_change_migrations,
  mantic_migrations,
  question_migrations,
} from '@svc/protocols/truth/mantic/api'
import { mare_migrations, sealed_risk_migrations } from '@svc/protocols/truth/mare/api'
import { compared_score_migrations, mata_migrations, score_migrations } from '@svc/protocols/truth/mata/api'
import { maven_migrations } from '@svc/protocols/truth/maven/api'
import { merit_concern_migrations, merit_migrations } from '@svc/protocols/truth/merit/api'
import { sealed_column_migrations } from './sealed-columns.ts'

export const migrations: readonly Migration[] = [
  ...store_migrations,
  ...audit_migrations,
  ...access_migrations,
  ...gateway_migrations,
  ...workload_migrations,
  ...account_migrations,
  ...charter_migrations,
  ...revocation_migrations,
  ...custody_migrations,
  ...idempotency_migrations,
  ...report_migrations,
  ...registry_migrations,
  ...lineage_migrations,
  ...macs_migrations,
  ...derivation_migrations,
  ...oas_node_migrations,
  ...arsenal_node_migrations,
  ...aegis_migrations,
  ...external_migrations,
  ...month_migrations,
  ...replica_migrations,
  ...tier_migrations,
  ...fan_out_migrations,
  ...operator_migrations,
  ...ledger_migrations,
  ...contract_migrations,
  ...market_migrations,
  ...meter_migrations,
  ...mana_migrations,
  ...witness_migrations,
  ...standing_migrations,
  ...shared_reading_migrations,
  ...motion_migrations,
  ...policy_migrations,
  ...dilemma_migrations,
  ...pattern_migrations,
  ...treaty_change_migrations,
  ...treaty_migrations,
  ...case_migrations,
  ...estate_migrations,
  ...dissolution_migrations,
  ...forgetting_migrations,
  ...content_migrations,
  ...knowledge_migrations,
  ...memory_migrations,
  ...maven_migrations,
  ...mata_migrations,
  ...mantic_migrations,
  ...mare_migrations,
  ...merit_migrations,
  ...redaction_migrations,
  ...mantle_migrations,
  ...model_migrations,
  ...artifact_migrations,
  ...device_migrations,
  ...stop_latch_migrations,
  ...moon_migrations,
  ...action_migrations,
  ...maestro_migrations,
  ...metric_migrations,
  ...mail_migrations,
  ...tool_migrations,
  ...plugin_migrations,
  ...external_trust_migrations,
  ...artifact_record_migrations,
  ...journal_id_migrations,
  ...archive_migrations,
  ...one_time_use_migrations,
  ...approval_migrations,
  ...tool_approval_migrations,
  ...role_migrations,
  ...identity_key_migrations,
  ...recovery_migrations,
  ...webhook_migrations,
  ...task_migrations,
  ...a2a_server_migrations,
  ...invitation_login_migrations,
  ...task_end_migrations,
  ...own_call_migrations,
  ...history_migrations,
  ...alert_migrations,
  ...outgoing_mail_migrations,
  ...merit_concern_migrations,
  ...access_request_migrations,
  ...view_migrations,
  ...court_migrations,
  ...reader_migrations,
  ...memory_reader_migrations,
  ...score_migrations,
  ...question_migrations,
  ...action_list_migrations,
  ...forecast_change_migrations,
  ...draw_party_migrations,
  ...compared_score_migrations,
  ...court_mail_migrations,
  ...sealed_risk_migrations,
  ...account_history_migrations,
  ...metric_min_migrations,
  ...signal_migrations,
  ...mail_owner_migrations,
  ...moon_history_migrations,
  ...fee_migrations,
  ...exchange_migrations,
  ...topic_migrations,
  ...mail_batch_migrations,
  ...market_rule_migrations,
  ...available_migrations,
  ...root_key_migrations,
  ...sealed_column_migrations,
  ...home_migrations,
  ...moved_log_migrations,
  ...followed_key_migrations,
]
