// UsageProblem: arguments that make no sense.
#if Tool

struct UsageProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The same with a line below it.
    func hinting(_ hint: String) -> UsageProblem { UsageProblem("\(description)\n  \(hint)") }
}

#endif
