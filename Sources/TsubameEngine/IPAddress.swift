// IPAddress: an address literal as its bytes.

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// 4 or 16 bytes.
struct IPAddress: Hashable {
    let bytes: [UInt8]

    /// nil if it is no literal.
    init?(_ text: String) {
        // No literal begins otherwise.
        guard let first = text.utf8.first, first == 0x3A || isxdigit(CInt(first)) != 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &buffer) == 1 {
            bytes = Array(buffer[..<4])
        } else if inet_pton(AF_INET6, text, &buffer) == 1 {
            bytes = buffer
        } else {
            return nil
        }
    }

    /// nil unless there are 4 or 16.
    init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    var text: String {
        var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &buffer, socklen_t(buffer.count)) != nil else { return "" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3.
    var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? bytes[12] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// Whether the first bits are the same.
    func isWithin(_ network: IPAddress, prefix: Int) -> Bool {
        guard bytes.count == network.bytes.count else { return false }
        for (index, (byte, other)) in zip(bytes, network.bytes).enumerated() {
            let bits = Swift.min(Swift.max(prefix - index * 8, 0), 8)
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            if byte & mask != other & mask { return false }
        }
        return true
    }
}
