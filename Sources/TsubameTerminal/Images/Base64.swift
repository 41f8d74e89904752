// Base64: the encoding of RFC 4648 section 4, without Foundation.

enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index < bytes.count {
            let rest = bytes.count - index
            let first = bytes[index]
            let second = rest > 1 ? bytes[index + 1] : 0
            let third = rest > 2 ? bytes[index + 2] : 0
            output.append(alphabet[Int(first >> 2)])
            output.append(alphabet[Int((first & 3) << 4 | second >> 4)])
            output.append(rest > 1 ? alphabet[Int((second & 15) << 2 | third >> 6)] : 0x3D)
            output.append(rest > 2 ? alphabet[Int(third & 63)] : 0x3D)
            index += 3
        }
        return output
    }
}
