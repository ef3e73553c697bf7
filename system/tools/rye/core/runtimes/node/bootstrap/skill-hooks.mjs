// Module hook: `toolcrib/skill` leads to the package that runs the skill, from wherever it is imported.
let entry

export function initialize(data) {
  entry = data.entry
}

export async function resolve(specifier, context, next) {
  return next(specifier === 'toolcrib/skill' ? entry : specifier, context)
}
