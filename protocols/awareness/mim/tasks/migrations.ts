// The tables of tasks, and the function by which a party adds a step.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { me, path } from '../mail-sql.ts'
import { steps_max, task_bytes_max } from './limits.ts'
import { ended_states, task_states } from './task.ts'

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(', ')
const ended = quoted(ended_states)

const tables = `
  CREATE TABLE mim_tasks (
    tenant_id text COLLATE "C" NOT NULL,
    task_id uuid NOT NULL,
    caller_did text COLLATE "C" NOT NULL,
    agent_did text COLLATE "C" NOT NULL,
    -- Sealed, and blinded to be compared.
    context_sealed bytea NOT NULL,
    context_wrapped bytea NOT NULL,
    context_key text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN (${quoted(task_states)})),
    steps integer NOT NULL DEFAULT 0,
    bytes integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, task_id)
  );
  CREATE INDEX mim_tasks_of_caller ON mim_tasks (tenant_id, caller_did, changed_at, task_id);
  CREATE INDEX mim_tasks_open ON mim_tasks (tenant_id, caller_did) WHERE state NOT IN (${ended});
  CREATE INDEX mim_tasks_changed ON mim_tasks (changed_at);
  ${isolateByTenant('mim_tasks', ['SELECT', 'INSERT'], ['SELECT', 'UPDATE', 'DELETE'])}

  CREATE TABLE mim_task_steps (
    tenant_id text COLLATE "C" NOT NULL,
    task_id uuid NOT NULL,
    n integer NOT NULL,
    step_id uuid NOT NULL,
    state text NOT NULL,
    by_agent boolean NOT NULL,
    at timestamptz NOT NULL,
    sealed bytea NOT NULL,
    wrapped_key bytea NOT NULL,
    PRIMARY KEY (tenant_id, task_id, n),
    FOREIGN KEY (tenant_id, task_id) REFERENCES mim_tasks ON DELETE CASCADE
  );
  ${isolateByTenant('mim_task_steps', ['SELECT'], ['SELECT', 'INSERT', 'DELETE'])}
`

const steppingFunction = `
  -- The one way to change a task: by its caller at home, or by its agent, who may be of another organization while a treaty stands.
  CREATE FUNCTION svc_task_step(step mim_task_steps, in_party text, in_bytes integer,
    OUT outcome text, OUT place integer)
    LANGUAGE plpgsql SECURITY DEFINER ${path} AS $step$
  DECLARE
    task mim_tasks;
  BEGIN
    outcome := 'none';
    IF coalesce(${me}, '') = '' OR step.tenant_id <> ${me}
      AND NOT (step.by_agent AND svc_are_partners(${me}, step.tenant_id)) THEN RETURN; END IF;
    SELECT * INTO task FROM mim_tasks t WHERE t.tenant_id = step.tenant_id AND t.task_id = step.task_id
      AND in_party = CASE WHEN step.by_agent THEN t.agent_did ELSE t.caller_did END FOR UPDATE;
    IF NOT FOUND THEN RETURN; END IF;
    IF task.state IN (${ended}) THEN outcome := 'ended'; RETURN; END IF;
    IF task.steps >= ${steps_max} OR task.bytes + in_bytes > ${task_bytes_max} THEN outcome := 'full'; RETURN; END IF;
    step.n := task.steps + 1;
    step.at := greatest(step.at, task.changed_at);
    INSERT INTO mim_task_steps SELECT step.*;
    UPDATE mim_tasks t SET steps = step.n, bytes = t.bytes + in_bytes, state = step.state, changed_at = step.at
      WHERE t.tenant_id = task.tenant_id AND t.task_id = task.task_id;
    outcome := 'added';
    place := step.n;
  END $step$;
`

const stepping = `${steppingFunction}
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_task_step(mim_task_steps, text, integer) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
  REVOKE ALL ON FUNCTION svc_task_step(mim_task_steps, text, integer) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_task_step(mim_task_steps, text, integer) TO ${app_role};
`

export const task_migrations: readonly Migration[] = [
  { name: '2026-11-26-60-tasks', sql: `${tables}${stepping}` },
]

const is_full = `task.steps >= ${steps_max} OR task.bytes + in_bytes > ${task_bytes_max}`
/** What ends a task and says nothing always has room: else one that its agent filled could not be canceled. */
const has_no_room = `(task.steps >= ${steps_max - 1} OR task.bytes + in_bytes > ${task_bytes_max})
      AND NOT (step.state IN (${ended}) AND in_bytes <= ${'{}'.length})`

export const task_end_migrations: readonly Migration[] = [
  {
    name: '2026-11-26-80-task-ends',
    sql: steppingFunction
      .replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')
      .replace(is_full, has_no_room),
  },
]
