// ProtocolMemory: which origins have spoken HTTP/2, and which have not.

import Synchronization
import TsubameCore

/// The protocol of an origin decides how many connections are made for the calls that wait. Shared by the loops of a
/// client; forgets everything when it has grown too large.
final class ProtocolMemory: Sendable {
    private static let capacity = 1_000

    private let known = Mutex<[Origin: HTTPVersion]>([:])

    func version(of origin: Origin) -> HTTPVersion? { known.withLock { $0[origin] } }

    func note(_ version: HTTPVersion, of origin: Origin) {
        known.withLock { known in
            if known.count >= Self.capacity, known[origin] == nil { known.removeAll() }
            known[origin] = version
        }
    }
}
