// DBOS in this process: a workflow of one step, whose input, step and result it keeps in PostgreSQL.
import { DBOS } from '@dbos-inc/dbos-sdk'

export async function openDbos(systemDatabaseUrl) {
  const answer = async (request) =>
    DBOS.runStep(async () => ({ answered: request.title }), { name: 'answer' })
  const workflow = DBOS.registerWorkflow(answer, { name: 'request' })
  DBOS.setConfig({ name: 'bench', systemDatabaseUrl, runAdminServer: false, logLevel: 'error' })
  await DBOS.launch()
  return {
    request: async (draft) => (await DBOS.startWorkflow(workflow)(draft)).getResult(),
    close: () => DBOS.shutdown(),
  }
}
