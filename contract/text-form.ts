// Text patterns of every record, without the schemas built from them, so that small threads load only these.

export const tenant_id_pattern = '^[a-z0-9][a-z0-9-]{0,62}$'
export const uuid_pattern = '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$'
export const uuid_form = new RegExp(uuid_pattern)
export const timestamp_pattern =
  '^\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?Z$'
