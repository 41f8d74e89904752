// What must be so when a test has seen what it wanted to see.

import Dispatch
import Tsubame
import TsubameTesting

/// Returns when no call of the client runs and the main queue is through with what the last one put there: what was told
/// twice, or after the end, has been told by then.
func settled(_ client: Client) async throws {
    try await LeakCheck.verify(client)
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

/// Closes a client, of which nothing may be left: no call, no connection.
func close(_ client: Client) async throws {
    try await settled(client)
    await client.close()
    try await LeakCheck.verifyClosed(client)
}
