// CountText: a number of things in words.

enum CountText {
    /// - Parameter noun: a noun whose plural ends in `s`.
    static func of(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
}
