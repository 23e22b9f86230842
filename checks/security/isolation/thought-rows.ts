// The rival's rows in the tables of memory and truth that traffic leaves empty.

const uuid = "'5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"
const hash = "repeat('a', 64)"

const model_row = `INSERT INTO causal_models VALUES ('rival', 'x', '', 1, 1, 1, 1, now())`
const claim_row = `INSERT INTO maven_claims (tenant_id, claim_id, issuer_did, topic, said_key, confidence, valid, status, proof,
  attested_at) SELECT 'rival', id, 'x', '*', 'x', 1, '[,)', 'accepted', '{}', now()
  FROM (VALUES (${hash}), (repeat('b', 64))) made(id)`
const question_row = `INSERT INTO mantic_questions (tenant_id, question_id, topic, kind, opened_by, opened_at, resolver_did,
  resolver_root, locks_at) VALUES ('rival', ${uuid}, 'x', 'binary', 'x', now(), 'x', 'x', now())`
const status_list_row = `INSERT INTO merit_status_lists VALUES ('rival', 'revocation', 1, decode(repeat('00', 16384), 'hex'), 0,
  'x', now())`

export const thought_rows: Readonly<Record<string, string>> = {
  content: `INSERT INTO content VALUES ('rival', 'x', 1, 'episodic', 'current', 'x', NULL, 'x', '', ${uuid}, 'x', now(), now())`,
  content_key: "INSERT INTO content_key VALUES ('rival', 'x', 1, '', '')",
  content_index:
    "INSERT INTO content_index (tenant_id, ref, version, kind, namespace) VALUES ('rival', 'x', 1, 'episodic', 'x')",
  mind_cell: `INSERT INTO mind_cell (tenant_id, ref, kind, namespace_key, importance, confidence, occurred_at, created_at)
    VALUES ('rival', 'x', 'episodic', 'x', 1, 1, now(), now())`,
  kg_fact: `INSERT INTO kg_fact (tenant_id, fact_id, s, p, o, functional, valid, tx, confidence, source_ref, status)
    VALUES ('rival', ${uuid}, 'x', 'x', 'x', false, '[,)', '[,)', 1, 'x', 'current')`,
  causal_models: model_row,
  causal_model_names: `${model_row}; INSERT INTO causal_model_names
    VALUES ('rival', 'x', '1.0.0', 'x', NULL, '{}', 'x', now())`,
  content_call: `INSERT INTO content_call VALUES ('rival', 'x', 'x', ${uuid})`,
  content_link: "INSERT INTO content_link VALUES ('rival', 'x', 'y', 'cites', 1, now())",
  content_redaction: `INSERT INTO content_redaction (tenant_id, redaction_id, ref, version, commitment, correlation_id,
    record_id, reason, redacted_by, redacted_at) VALUES ('rival', ${uuid}, 'x', 1, 'x', ${uuid}, 'x', 'other', 'x', now())`,
  content_index_epoch: "INSERT INTO content_index_epoch (tenant_id) VALUES ('rival') ON CONFLICT DO NOTHING",
  kg_entity_index: "INSERT INTO kg_entity_index VALUES ('rival', 'x', 'x', 'x', 'x') ON CONFLICT DO NOTHING",
  kg_entity_epoch: "INSERT INTO kg_entity_epoch VALUES ('rival') ON CONFLICT DO NOTHING",
  kg_predicate: "INSERT INTO kg_predicate VALUES ('rival', 'x', now())",
  mind_edge: `INSERT INTO mind_edge (tenant_id, association_id, source, target, relation, weight, valid, author_did, created_at)
    VALUES ('rival', ${uuid}, 'x', 'y', 'causes', 1, '[,)', 'x', now())`,
  maestro_charters: "INSERT INTO maestro_charters VALUES ('rival', 'x', 1, 'x', NULL, 'x', now())",
  mantle_member: "INSERT INTO mantle_member VALUES ('rival', 'x', NULL)",
  mantle_mention: "INSERT INTO mantle_mention VALUES ('rival', 'x', 'x', 'x', 'x')",
  mantle_output: "INSERT INTO mantle_output VALUES ('rival', 'x', 'x', 'x')",
  mantle_watermark: "INSERT INTO mantle_watermark VALUES ('rival', 'x', now()) ON CONFLICT DO NOTHING",
  mantic_maps: "INSERT INTO mantic_maps VALUES ('rival', 'x', 'x', '{}', '{}', 'x', now())",
  mantic_questions: question_row,
  mantic_forecasts: `${question_row}; INSERT INTO mantic_forecasts VALUES ('rival', ${uuid}, 'x', 'x', '1', now())`,
  mantic_uploads: `INSERT INTO mantic_uploads VALUES ('rival', ${uuid}, 1, 'x', now(), 1, '')`,
  mare_risks: "INSERT INTO mare_risks VALUES ('rival', 'x', 'x', '{}', NULL, 'x', now())",
  mata_outcomes:
    "INSERT INTO mata_outcomes VALUES ('rival', 'x', 'x', 'x', '1', '1', now(), 0, 0, 'x', now())",
  mata_pools: "INSERT INTO mata_pools VALUES ('rival', 'x', '{}', '{}', 'x', now())",
  mata_records: "INSERT INTO mata_records VALUES ('rival', 'x', 'x', 1, 1, 0)",
  mata_scores: `INSERT INTO mata_scores VALUES ('rival', 'x', ${uuid}, 'x', 'binary', '1', 1, now(), 1, 0, 0, 0)`,
  mata_sources: "INSERT INTO mata_sources (tenant_id, topic, source) VALUES ('rival', 'x', 'x')",
  maven_claims: claim_row,
  maven_attacks: `${claim_row}; INSERT INTO maven_attacks
    VALUES ('rival', ${hash}, repeat('b', 64), 'rebut', 'x', now())`,
  maven_citations: `INSERT INTO maven_citations VALUES ('rival', ${hash}, 'x', 1, NULL, 'x', now())`,
  merit_concerns: "INSERT INTO merit_concerns VALUES ('rival', 'x', 'duty', 'x', '{}', 'x', now())",
  merit_status_lists: status_list_row,
  merit_credentials: `${status_list_row}; INSERT INTO merit_credentials (tenant_id, credential_id, subject_did, issuer_did,
    evaluation_ref, list_no, list_index, issued_at, valid_until)
    VALUES ('rival', ${uuid}, 'x', 'x', 'x', 1, 0, now(), 'infinity')`,
}
