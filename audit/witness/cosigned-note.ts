// A checkpoint as published: its log's signature, then those of its witnesses.

/** With its newline; a whole note fits into 16 KiB. */
const lines_max = 32

/** SQL for the note of a row of audit_checkpoints under this alias. */
export function cosignedNote(alias: string): string {
  return `${alias}.note || coalesce((
    SELECT string_agg(w.line, '' ORDER BY w.witness_name, w.key_id) FROM (
      SELECT line, witness_name, key_id FROM audit_cosignatures
      WHERE tenant_id = ${alias}.tenant_id AND size = ${alias}.size
      ORDER BY witness_name, key_id LIMIT ${lines_max}
    ) AS w), '')`
}
