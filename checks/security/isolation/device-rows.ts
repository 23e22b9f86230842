// The rival's rows in the tables of devices, which traffic leaves empty.

const uuid = "'5f0c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"

export const device_rows: Readonly<Record<string, string>> = {
  mote_devices: "INSERT INTO mote_devices VALUES ('rival', 'x', 1, '{}', now(), now())",
  mote_readings: "INSERT INTO mote_readings VALUES ('rival', 'x', 'x', 1, now(), now(), 1)",
  mote_twins: "INSERT INTO mote_twins (tenant_id, device_did, actuator) VALUES ('rival', 'x', 'x')",
  mote_commands: `INSERT INTO mote_commands (tenant_id, command_id, device_did, actuator, desired_version, kind, state, confirm,
    phase, by_did, correlation_id, created_at, give_up_at)
    VALUES ('rival', ${uuid}, 'x', 'x', 1, 'set', '{}', 'none', 'queued', 'x', ${uuid}, now(), 'infinity')`,
}
