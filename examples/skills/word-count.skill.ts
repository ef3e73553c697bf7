// Word Count: a code skill. It runs inside the Toolcrib process: (ctx, args) in, a value out.
export const frontmatter = {
  name: 'word-count',
  description: 'Count the words of a text',
  metadata: {
    params: {
      type: 'object',
      properties: { text: { type: 'string', description: 'Text to count' } },
      required: ['text'],
    },
    returns: { type: 'object', properties: { words: { type: 'integer' } }, required: ['words'] },
  },
}

export default async function (ctx: unknown, { text }: { text: string }) {
  return { words: text.split(/\s+/).filter(Boolean).length }
}
