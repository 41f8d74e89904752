// UsageProblem: an argument that makes no sense, found after parsing.
#if Tool

struct UsageProblem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

#endif
