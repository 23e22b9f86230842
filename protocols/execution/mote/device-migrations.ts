import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const devices = `
  -- What a device last said of itself, as it signed it. Only the engine writes it, from what arrived.
  CREATE TABLE mote_devices (
    tenant_id text COLLATE "C" NOT NULL,
    device_did text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    descriptor jsonb NOT NULL,
    accepted_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, device_did)
  );
  CREATE INDEX mote_devices_seen ON mote_devices (last_seen_at);
  ${isolateByTenant('mote_devices', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}

  -- Numbers only; appended, never changed, and given up after a month. A seq is stored once, whichever engine heard it first.
  CREATE TABLE mote_readings (
    tenant_id text COLLATE "C" NOT NULL,
    device_did text COLLATE "C" NOT NULL,
    sensor text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    observed_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    value float8 NOT NULL CHECK (value - value = 0),
    PRIMARY KEY (tenant_id, device_did, sensor, seq)
  );
  CREATE INDEX mote_readings_observed ON mote_readings (tenant_id, device_did, sensor, observed_at, seq);
  CREATE INDEX mote_readings_age ON mote_readings USING brin (observed_at);
  ${isolateByTenant('mote_readings', ['SELECT'], ['SELECT', 'INSERT', 'DELETE'])}
`

const actuators = `
  -- What is wanted stands in the commands; here is its number, and what the device says it is.
  CREATE TABLE mote_twins (
    tenant_id text COLLATE "C" NOT NULL,
    device_did text COLLATE "C" NOT NULL,
    actuator text COLLATE "C" NOT NULL,
    desired_version bigint NOT NULL DEFAULT 0,
    confirmed_version bigint NOT NULL DEFAULT 0,
    reported jsonb,
    reported_seq bigint,
    reported_at timestamptz,
    -- The broker still holds a safe state for this actuator, and gives it to the device at each connection.
    safe_retained boolean NOT NULL DEFAULT false,
    PRIMARY KEY (tenant_id, device_did, actuator),
    CHECK (confirmed_version <= desired_version)
  );
  ${isolateByTenant('mote_twins', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}
  GRANT UPDATE (desired_version, safe_retained) ON mote_twins TO ${app_role};

  CREATE TABLE mote_commands (
    tenant_id text COLLATE "C" NOT NULL,
    command_id uuid NOT NULL,
    device_did text COLLATE "C" NOT NULL,
    actuator text COLLATE "C" NOT NULL,
    desired_version bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('set', 'safe')),
    state jsonb NOT NULL,
    confirm text NOT NULL CHECK (confirm IN ('none', 'ack', 'readback')),
    phase text NOT NULL CHECK (phase IN
      ('queued', 'sent', 'acked', 'confirmed', 'rejected', 'timed_out', 'expired', 'unsent', 'cancelled')),
    refusal text,
    by_did text COLLATE "C" NOT NULL,
    correlation_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    give_up_at timestamptz NOT NULL,
    sent_at timestamptz,
    acked_at timestamptz,
    ended_at timestamptz,
    PRIMARY KEY (tenant_id, command_id),
    UNIQUE (tenant_id, device_did, actuator, desired_version),
    CHECK ((phase IN ('queued', 'sent', 'acked')) = (ended_at IS NULL))
  );
  CREATE INDEX mote_commands_open ON mote_commands (give_up_at) WHERE ended_at IS NULL;
  CREATE INDEX mote_commands_ended ON mote_commands (ended_at) WHERE ended_at IS NOT NULL;
  ${isolateByTenant('mote_commands', ['SELECT', 'INSERT'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
  -- What was wanted stays wanted: only what became of it changes.
  GRANT UPDATE (phase, sent_at, ended_at) ON mote_commands TO ${app_role};
`

export const device_migrations: readonly Migration[] = [
  { name: '2026-11-18-35-devices', sql: devices },
  { name: '2026-11-18-36-actuators', sql: actuators },
]
