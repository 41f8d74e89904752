// ControlCharacters: finds the characters that no field value may hold.

extension String {
    /// Whether the text holds an ASCII control character other than a tab (RFC 9110 section 5.5).
    package var holdsControlCharacter: Bool { utf8.contains { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F } }
}
