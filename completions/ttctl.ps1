# Completion of ttctl for PowerShell; printed by: ttctl completion powershell
Register-ArgumentCompleter -Native -CommandName ttctl -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @()
    $typed = ''
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        $extent = $element.Extent
        if ($extent.StartOffset -ge $cursorPosition) { break }
        $text = $extent.Text
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst] -or
            $element -is [System.Management.Automation.Language.ExpandableStringExpressionAst]) { $text = $element.Value }
        if ($extent.EndOffset -gt $cursorPosition) {
            $text = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset).Trim([char]39, [char]34)
        }
        if ($extent.EndOffset -ge $cursorPosition) { $typed = $text; break }
        $words += $text
    }
    $reply = $null
    $env:TTCTL_COMPLETE_WORDS = @($words) + @($typed) -join [string][char]0x1f
    try {
        $reply = ttctl __complete powershell 2>$null | Out-String | ConvertFrom-Json
    } catch {
    } finally {
        Remove-Item Env:TTCTL_COMPLETE_WORDS -ErrorAction SilentlyContinue
    }
    $candidates = @(if ($null -ne $reply) { $reply.candidates })
    foreach ($candidate in $candidates) {
        [System.Management.Automation.CompletionResult]::new(
            $candidate.text, $candidate.list, [System.Management.Automation.CompletionResultType]::ParameterValue, $candidate.tip)
    }
    # Nothing at all would make PowerShell offer files.
    if ($candidates.Count -eq 0 -and -not ($null -ne $reply -and $reply.files)) { '' }
}
