// Hexadecimal: reads and writes hexadecimal digits.
#if Server

enum Hexadecimal {
    static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Two digits for each byte.
    static func lowercase(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.flatMap { [lowercaseDigit($0 >> 4), lowercaseDigit($0 & 0xF)] }
    }

    static func lowercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + (value & 0xF) - 10
    }

    static func uppercaseDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + (value & 0xF) - 10
    }
}

#endif
