// The rival's rows in the tables of drafts and artifacts.
const uuid = "'5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"

export const artifact_rows: Readonly<Record<string, string>> = {
  mage_pieces: `INSERT INTO mage_pieces VALUES ('rival', ${uuid}, '')`,
  mage_holdings: "INSERT INTO mage_holdings VALUES ('rival', 'x', 'x', 1)",
  mage_artifacts: `INSERT INTO mage_artifacts (tenant_id, digest, kind, license, visibility, published_by, published_at,
    mars_entry, record_hash) VALUES ('rival', repeat('a', 64), 'code', 'MIT', 'public', 'x', now(), 'x', 'x')`,
}
