// Verdict.promiseRest: what every run promises about its clients.
#if TestServer

import Tsubame
import TsubameTesting

extension Verdict {
    /// Promises that the client has come to rest, closes it, and promises that the closed client holds nothing.
    func promiseRest(_ client: Client) async {
        do {
            try await LeakCheck.verify(client)
            await client.close()
            try await LeakCheck.verifyClosed(client)
        } catch {
            promise("no connection and no call is left: \(error)", false)
        }
    }
}
#endif
