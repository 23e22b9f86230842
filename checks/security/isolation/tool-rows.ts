// The rival's rows in the tables of tools.
const uuid = "'5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"
const server_row = `INSERT INTO mat_servers VALUES ('rival', 'x', 'stdio', NULL, 'x', NULL, NULL, 'active', 'x', now())
  ON CONFLICT DO NOTHING`

export const tool_rows: Readonly<Record<string, string>> = {
  mat_servers: server_row,
  mat_tools: `${server_row}; INSERT INTO mat_tools VALUES ('rival', 'x', 'x', 'disabled', NULL, NULL, 'x', now())`,
  mat_calls: `INSERT INTO mat_calls (tenant_id, call_id, tool_id, caller_did, begun_at, args_salt)
    VALUES ('rival', ${uuid}, 'x', 'x', now(), '')`,
}
