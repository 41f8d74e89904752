// HttpClient: a form login by POST that reports to a delegate.
// The name is the second argument. The password is read from standard input and never shown.

import Foundation
import Tsubame

let arguments = CommandLine.arguments.dropFirst()
let signIn = SignIn(arguments.first ?? "http://127.0.0.1:8080")

/// Reads a line without showing it on a terminal.
func readPassword() -> String {
    var settings = termios()
    guard tcgetattr(STDIN_FILENO, &settings) == 0 else { return readLine() ?? "" }
    var hidden = settings
    hidden.c_lflag &= ~tcflag_t(ECHO)
    tcsetattr(STDIN_FILENO, TCSANOW, &hidden)
    defer { tcsetattr(STDIN_FILENO, TCSANOW, &settings) }
    return readLine() ?? ""
}

print("Password?")
signIn.start(name: arguments.dropFirst().first ?? "swallow", password: readPassword())
dispatchMain()
