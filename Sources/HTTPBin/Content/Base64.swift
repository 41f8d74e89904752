// Base64: a decoder that reads base64 as Python's urlsafe_b64decode does.
#if Server

enum Base64 {
    /// Decodes both alphabets (RFC 4648 sections 4 and 5). It skips characters of neither alphabet, and everything
    /// after padding that completes a group.
    ///
    /// - Returns: nil if the last group is not complete.
    static func decode(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var left: UInt8 = 0
        var place = 0
        var padding = 0
        for byte in text {
            if byte == UInt8(ascii: "=") {
                // Padding before the second digit is skipped like any other character outside the alphabet.
                if place >= 2 { padding += 1 }
                if place + padding >= 4 { return result }
                continue
            }
            guard let value = value(byte) else { continue }
            padding = 0
            switch place {
            case 0: left = value
            case 1:
                result.append(left << 2 | value >> 4)
                left = value & 0xF
            case 2:
                result.append(left << 4 | value >> 2)
                left = value & 0x3
            default:
                result.append(left << 6 | value)
            }
            place = (place + 1) % 4
        }
        return place == 0 ? result : nil
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): digit - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): digit - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

#endif
