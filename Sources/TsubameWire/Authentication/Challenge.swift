// Challenge: one challenge of a WWW-Authenticate or Proxy-Authenticate field (RFC 9110 section 11.3).

import TsubameCore

package struct Challenge: Sendable, Hashable {
    /// A parameter of a challenge, of credentials or of Authentication-Info.
    package struct Parameter: Sendable, Hashable {
        /// In lower case.
        package let name: String
        /// Without quotes and escapes.
        package let value: String
    }

    /// In lower case, such as `digest`.
    package let scheme: String
    /// The token68 that stands in place of parameters; nil if the challenge has parameters or nothing.
    package let token68: String?
    /// In the order of the field; each name occurs once.
    package let parameters: [Parameter]

    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Reads the challenges of a response.
    ///
    /// A challenge that cannot be parsed is left out, with the reason. The rest of its field is left out as well,
    /// unless it is certain where the next challenge begins. A challenge that repeats a parameter is ambiguous and is
    /// left out.
    /// - Parameter fields: the values of all fields of that name. Reading stops at the field that takes the total
    ///   over 16 KiB.
    package static func parse(_ fields: [String]) -> (challenges: [Challenge], problems: [String]) {
        var found: (challenges: [Challenge], problems: [String]) = ([], [])
        var room = maximumBytes
        for field in fields {
            guard field.utf8.count <= room else {
                found.problems.append("the challenges have more than \(maximumBytes) bytes")
                break
            }
            room -= field.utf8.count
            var scanner = ParameterScanner(field)
            read(&scanner, into: &found)
        }
        return found
    }

    /// The parameters of a field without a scheme, such as Authentication-Info (RFC 7615).
    /// - Returns: nil if the field cannot be parsed.
    package static func parameters(of field: String) -> [Parameter]? {
        guard field.utf8.count <= maximumBytes else { return nil }
        var scanner = ParameterScanner(field)
        var parameters: [Parameter] = []
        scanner.skipListSeparators()
        while !scanner.isAtEnd {
            guard let name = scanner.parameterName(), let value = scanner.parameterValue(), scanner.endsElement(),
                parameters.count < maximumParameters, !parameters.contains(where: { $0.name == name })
            else { return nil }
            parameters.append(Parameter(name: name, value: value))
            scanner.skipListSeparators()
        }
        return parameters
    }

    private static let maximumBytes = 16 << 10
    private static let maximumParameters = 64

    private static func read(
        _ scanner: inout ParameterScanner, into found: inout (challenges: [Challenge], problems: [String])
    ) {
        scanner.skipListSeparators()
        while !scanner.isAtEnd {
            guard let scheme = scanner.token()?.lowercased(), scanner.endsElement() || scanner.isAtSpace else {
                return found.problems.append("a challenge does not begin with a scheme")
            }
            if let token68 = scanner.token68() {
                found.challenges.append(Challenge(scheme: scheme, token68: token68, parameters: []))
                scanner.skipListSeparators()
                continue
            }
            var parameters: [Parameter] = []
            var problem: String?
            scanner.skipListSeparators()
            // A name that is followed by `=` is a parameter; any other name begins the next challenge.
            while let name = scanner.parameterName() {
                guard let value = scanner.parameterValue(), scanner.endsElement() else {
                    let shown = Redaction.printable(String(name.prefix(40)))
                    return found.problems.append("the value of \(shown) of a \(scheme) challenge does not end")
                }
                guard parameters.count < maximumParameters else {
                    return found.problems.append("a \(scheme) challenge has more than \(maximumParameters) parameters")
                }
                if parameters.contains(where: { $0.name == name }) {
                    problem = "a \(scheme) challenge has \(Redaction.printable(String(name.prefix(40)))) twice"
                }
                parameters.append(Parameter(name: name, value: value))
                scanner.skipListSeparators()
            }
            if let problem {
                found.problems.append(problem)
            } else {
                found.challenges.append(Challenge(scheme: scheme, token68: nil, parameters: parameters))
            }
        }
    }
}
