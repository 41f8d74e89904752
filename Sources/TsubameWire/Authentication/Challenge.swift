// Challenge: one thing that a server asks for in WWW-Authenticate or Proxy-Authenticate (RFC 9110 section 11.3).

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
    /// What stands in place of parameters; nil if there are some, or nothing.
    package let token68: String?
    /// In the order of the field; no name comes twice.
    package let parameters: [Parameter]

    package subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// What the fields of a response ask for.
    ///
    /// A challenge that cannot be understood is left out, with the reason; what follows it in the same field is left out
    /// too, unless it is certain where that begins. A parameter that comes twice makes its challenge one that means two
    /// things: it is left out.
    /// - Parameter fields: the values of all fields of that name; of more than 16 KiB in all the rest is not read.
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

    /// The parameters of a field that has no scheme, such as Authentication-Info (RFC 7615); nil if it cannot be
    /// understood.
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
                return found.problems.append("a challenge begins with no scheme")
            }
            if let token68 = scanner.token68() {
                found.challenges.append(Challenge(scheme: scheme, token68: token68, parameters: []))
                scanner.skipListSeparators()
                continue
            }
            var parameters: [Parameter] = []
            var problem: String?
            scanner.skipListSeparators()
            // A name that is followed by `=` is a parameter; any other begins the next challenge.
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
