// SocketAddress: an address of a socket as a value.

package import TsubamePlatform

/// An IPv4 or IPv6 address with its port, or the path of a Unix-domain socket.
package enum SocketAddress: Hashable, Sendable {
    /// - Parameter address: the four bytes in network order.
    case ipv4(address: UInt32, port: UInt16)
    /// - Parameters:
    ///   - high, low: the first and the last eight bytes in network order.
    ///   - scope: the number of the interface of a link-local address; 0 for none.
    case ipv6(high: UInt64, low: UInt64, port: UInt16, scope: UInt32)
    case unix(path: String)

    /// Parses an IP address. A link-local IPv6 address may name its interface, such as `fe80::1%eth0` or `fe80::1%2`.
    /// - Returns: nil if the text is no IP address, or names an interface that does not exist.
    package init?(ip text: String, port: UInt16) {
        // Most hosts are names, and most of these begin with another letter.
        guard let first = text.utf8.first, first == UInt8(ascii: ":") || isxdigit(CInt(first)) != 0 else { return nil }
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            self = .ipv4(address: UInt32(bigEndian: four.s_addr), port: port)
            return
        }
        let mark = text.utf8.firstIndex(of: UInt8(ascii: "%"))
        var scope: UInt32 = 0
        if let mark {
            let zone = String(text[text.utf8.index(after: mark)...])
            // A zone is the name of an interface, or its number (RFC 4007 section 11.2).
            scope = if_nametoindex(zone)
            if scope == 0 { scope = UInt32(zone) ?? 0 }
            if scope == 0 { return nil }
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, mark.map { String(text[..<$0]) } ?? text, &six) == 1 else { return nil }
        self = Self.ipv6(six, port: port, scope: scope)
    }

    private static func ipv6(_ address: in6_addr, port: UInt16, scope: UInt32) -> SocketAddress {
        let (high, low) = withUnsafeBytes(of: address) {
            ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        }
        return .ipv6(high: UInt64(bigEndian: high), low: UInt64(bigEndian: low), port: port, scope: scope)
    }

    /// The address that the system wrote.
    /// - Returns: nil for another family, and for a Unix-domain socket without a path.
    package init?(_ storage: borrowing sockaddr_storage) {
        let storage = copy storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in.self) }
            self = .ipv4(address: UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
        case AF_INET6:
            let address = withUnsafeBytes(of: storage) { $0.loadUnaligned(as: sockaddr_in6.self) }
            self = Self.ipv6(
                address.sin6_addr, port: UInt16(bigEndian: address.sin6_port), scope: address.sin6_scope_id)
        case AF_UNIX:
            let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
            let path = withUnsafeBytes(of: storage) { $0[offset...].prefix { $0 != 0 } }
            if path.isEmpty { return nil }
            self = .unix(path: String(decoding: path, as: UTF8.self))
        default:
            return nil
        }
    }

    /// The number of the family, as `socket(2)` takes it.
    package var family: Int32 {
        switch self {
        case .ipv4: AF_INET
        case .ipv6: AF_INET6
        case .unix: AF_UNIX
        }
    }

    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, _, let port, _): port
        case .unix: nil
        }
    }

    /// The 4 or 16 bytes of an IP address in network order; none for a Unix-domain socket.
    package var ipBytes: [UInt8] {
        switch self {
        case .ipv4(let address, _): withUnsafeBytes(of: address.bigEndian) { Array($0) }
        case .ipv6(let high, let low, _, _): withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }
        case .unix: []
        }
    }

    /// The longest path of a Unix-domain socket, in bytes.
    package static let maximumPathLength = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    /// Passes the address in the system's form.
    /// - Returns: nil if the path of a Unix-domain socket is too long or holds a NUL.
    package func withSystemForm<T>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T? {
        switch self {
        case .ipv4(let address, let port):
            var form = sockaddr_in()
            form.sin_family = sa_family_t(AF_INET)
            form.sin_port = port.bigEndian
            form.sin_addr.s_addr = address.bigEndian
            #if canImport(Darwin)
            form.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            #endif
            return Self.pass(form, body)
        case .ipv6(let high, let low, let port, let scope):
            var form = sockaddr_in6()
            form.sin6_family = sa_family_t(AF_INET6)
            form.sin6_port = port.bigEndian
            form.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &form.sin6_addr) {
                $0.storeBytes(of: high.bigEndian, as: UInt64.self)
                $0.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            #if canImport(Darwin)
            form.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
            #endif
            return Self.pass(form, body)
        case .unix(let path):
            let bytes = Array(path.utf8)
            guard !bytes.isEmpty, bytes.count <= Self.maximumPathLength, !bytes.contains(0) else { return nil }
            var form = sockaddr_un()
            form.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &form.sun_path) { $0.copyBytes(from: bytes) }
            #if canImport(Darwin)
            form.sun_len = UInt8(MemoryLayout<sockaddr_un>.size)
            #endif
            return Self.pass(form, body)
        }
    }

    private static func pass<Form, T>(_ form: Form, _ body: (UnsafePointer<sockaddr>, socklen_t) -> T) -> T {
        withUnsafePointer(to: form) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Form>.size)) }
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    /// The address and the port, such as `192.0.2.1:80` or `[2001:db8::1]:80`, or the path, such as `unix:/run/a.sock`.
    package var description: String {
        switch self {
        case .ipv4(let address, let port): Self.text(address, port)
        case .ipv6(_, _, let port, _): "[\(ip)]:\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// The IP address without the port; empty for a Unix-domain socket.
    package var ip: String {
        switch self {
        case .ipv4(let address, _):
            return Self.text(address, nil)
        case .ipv6(let high, let low, _, let scope):
            var bytes = (high.bigEndian, low.bigEndian)
            let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                guard let base = buffer.baseAddress,
                    inet_ntop(AF_INET6, &bytes, base, socklen_t(INET6_ADDRSTRLEN)) != nil
                else { return "" }
                return String(cString: base)
            }
            return scope == 0 ? text : "\(text)%\(scope)"
        case .unix:
            return ""
        }
    }

    // Each connection tells both its addresses, so the digits are written in place.
    private static func text(_ address: UInt32, _ port: UInt16?) -> String {
        String(unsafeUninitializedCapacity: 21) { text in
            var end = 0
            func add(_ byte: UInt8) {
                text[end] = byte
                end += 1
            }
            func add(decimal number: UInt32) {
                if number > 9 { add(decimal: number / 10) }
                add(UInt8(ascii: "0") + UInt8(number % 10))
            }
            for part in 0..<4 as Range<UInt32> {
                if part > 0 { add(UInt8(ascii: ".")) }
                add(decimal: address >> (24 - 8 * part) & 255)
            }
            if let port {
                add(UInt8(ascii: ":"))
                add(decimal: UInt32(port))
            }
            return end
        }
    }
}
