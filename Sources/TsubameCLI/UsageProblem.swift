// UsageProblem: the error for arguments that are wrong.

struct UsageProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The same problem, with a hint on the next line.
    func hinting(_ hint: String) -> UsageProblem { UsageProblem("\(description)\n  \(hint)") }
}
