// AddressOrder: in which order, and when, the addresses of a host are tried (Happy Eyeballs, RFC 8305).

import NIOCore
import TsubameSockets

/// The addresses that are still to be tried.
struct AddressOrder {
    /// How long one address has before the next is tried beside it (RFC 8305 section 5).
    static let delay = TimeAmount.milliseconds(250)

    private var rest: ArraySlice<SocketAddress>

    /// - Parameter addresses: as the resolver sorted them. The first stays the first; then IPv6 and IPv4 take turns, so
    ///   that a family which does not work costs one delay (RFC 8305 section 4).
    init(_ addresses: [SocketAddress]) {
        guard addresses.count > 1 else {
            rest = addresses[...]
            return
        }
        let first = addresses.filter { $0.family == addresses.first?.family }
        let second = addresses.filter { $0.family != addresses.first?.family }
        var sorted: [SocketAddress] = []
        sorted.reserveCapacity(addresses.count)
        for index in 0..<Swift.max(first.count, second.count) {
            if index < first.count { sorted.append(first[index]) }
            if index < second.count { sorted.append(second[index]) }
        }
        rest = sorted[...]
    }

    var isEmpty: Bool { rest.isEmpty }

    mutating func next() -> SocketAddress? { rest.popFirst() }
}
