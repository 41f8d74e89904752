// Control characters: what no field's value may hold.

extension String {
    /// Whether there is one of ASCII's control characters in it, other than a tab (RFC 9110 section 5.5).
    package var holdsControlCharacter: Bool { utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } }
}
