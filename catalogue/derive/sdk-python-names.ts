// Names of schema parts in Python.

const keywords: ReadonlySet<string> = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
)

/** Attributes of every model, which a field would hide. */
const taken: ReadonlySet<string> = new Set(
  (
    'construct copy dict from_orm json parse_file parse_obj parse_raw schema schema_json update_forward_refs validate ' +
    'null_fields to_json model_config model_construct model_copy model_dump model_dump_json model_extra model_fields ' +
    'model_fields_set model_json_schema model_post_init model_rebuild model_validate'
  ).split(' '),
)

/** A field, an argument or a method: `charter.declare` is `charter_declare`, and `from` is `from_`. */
export function pythonName(wire: string): string {
  const name = wire
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^_+/, '')
    .toLowerCase()
  if (/^\d/.test(name)) return `n${name}`
  return keywords.has(name) || taken.has(name) ? `${name}_` : name
}

/** A docstring on one line, unable to end early. */
export function docString(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim().replaceAll('\\', '\\\\').replaceAll('"""', "'''")
  return `"""${plain}${plain.endsWith('"') ? ' ' : ''}"""`
}
