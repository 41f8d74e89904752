// PooledConnection: what carries exchanges. How many at a time is known to it and to the pool only.

import TsubameCore
import TsubamePlatform

/// A connection as the pool and the exchanges see it: over HTTP/1.1 one exchange at a time, over HTTP/2 as many as the
/// server allows. Confined to its loop pool's loop.
protocol PooledConnection: AnyObject {
    var key: ConnectionKey { get }
    /// Whether it carries several exchanges at once.
    var isShared: Bool { get }
    /// Whether it begins no exchange any more. Those that run go on.
    var acceptsNoMore: Bool { get }
    /// How many more exchanges it could begin now; 0 once it is closed or must carry no further one.
    var availableStreams: Int { get }
    /// The pool that counts it; nil before it stands, and after it is gone.
    var membership: PoolMembership? { get set }
    /// Memory of the bytes that were received and not consumed.
    var unconsumedBytes: Int { get }
    /// Whether this exchange can go out on it after an earlier one, as far as can be told. It may ask the system.
    func reusability(for exchange: Exchange) -> Reusability
    /// The number of exchanges that it has begun.
    var exchangeCount: Int { get }
    /// Begins the exchange.
    func run(_ exchange: Exchange)
    /// Sends what has gathered while several exchanges were begun.
    func flush()
    /// Begins no further exchange. The pool closes the connection after the last one.
    func stopAccepting()
    func close()
}

/// Whether a connection can carry a further exchange.
enum Reusability {
    case yes
    /// The socket holds something that the loop has to read first: a ticket of TLS, bytes that were not asked for, or the end.
    case unread
    case no
}
