// Settled: conditions that must hold at the end of a test.

import Dispatch
import Tsubame
import TsubameTesting

/// Returns when no call of the client runs and the main queue has done the work of the last call. Events that come
/// twice or after the end have arrived by then.
func settled(_ client: Client) async throws {
    try await LeakCheck.verify(client)
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
}

/// Closes a client and verifies that no call and no connection is left.
func close(_ client: Client) async throws {
    try await settled(client)
    await client.close()
    try await LeakCheck.verifyClosed(client)
}
