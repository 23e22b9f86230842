// Tables that grow for as long as there are calls are spread over several, so that none meets PostgreSQL's limit of 32 TiB.

/** Fixed by the migrations: another number is another migration, which moves rows. */
export const partitions = 8

/** The parts of a table that is partitioned by a hash. Nobody has rights on a part: rows are reached through the whole. */
export function hashPartitions(table: string, further = ''): string {
  return Array.from({ length: partitions }, (_, part) => {
    const name = `${table}_${part}`
    return `
    CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${part}) ${further};
    ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;
    ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;`
  }).join('\n')
}
