export function startTestRun(): { folder: string; cluster_folder: string }
